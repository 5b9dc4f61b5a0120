"""The packages from npm, installed once and kept in a folder of the user's cache."""
import json
import os
import shutil
import subprocess

PACKAGES = ["@agentclientprotocol/sdk@2.4.0", "acpx@0.19.1", "zod@4.6.7"]


def version_of_node():
    try:
        return tuple(int(each) for each in subprocess.run(["node", "-p", "process.versions.node"], capture_output=True,
                                                          text=True).stdout.split("."))
    except (OSError, ValueError):
        return (0,)


def installed():
    """The folder, and why there is none."""
    if not shutil.which("npm") or version_of_node() < (18,):
        return None, "npm and node 18 are not installed"
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/tmp"), ".cache")
    folder = os.path.join(os.environ.get("SKEIN_TEST_PACKAGES") or os.path.join(cache, "skein-tests"), "acp")
    mark = os.path.join(folder, "installed")
    try:
        os.makedirs(folder, exist_ok=True)
        if os.path.exists(mark) and open(mark).read() == " ".join(PACKAGES):
            return folder, ""
        with open(os.path.join(folder, "package.json"), "w") as file:
            json.dump({"private": True}, file)
        done = subprocess.run(["npm", "install", "--omit=optional", "--ignore-scripts", "--no-package-lock", "--no-audit",
                               "--no-fund", *PACKAGES], cwd=folder, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            return None, "the packages cannot be installed: " + done.stderr.strip()[:200]
        with open(mark, "w") as file:
            file.write(" ".join(PACKAGES))
        return folder, ""
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, "the packages cannot be installed: %s" % error


def schema(folder, name="schema.json"):
    return os.path.join(folder, "node_modules/@agentclientprotocol/sdk/schema/v1", name)
