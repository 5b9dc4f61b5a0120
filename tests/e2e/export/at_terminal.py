"""Runs a command whose standard output is a terminal, and prints what it wrote there."""
import os
import pty
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
output = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # it has ended
        break
    if not piece:
        break
    output += piece
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(output)
sys.exit(os.waitstatus_to_exitcode(status))
