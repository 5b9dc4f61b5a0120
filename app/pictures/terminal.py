"""A terminal that somebody types in, and pictures of what it shows: tmux, drawn as SVG."""
import html
import re
import subprocess
import time
import unicodedata

CELL_WIDTH, CELL_HEIGHT, MARGIN = 8.4, 18, 12
BACKGROUND, FOREGROUND = "#1e1e1e", "#d4d4d4"
COLORS = ["#000000", "#e06c6c", "#6cc284", "#d8b96a", "#6ba1e8", "#c58be0", "#5bbfcf", "#d4d4d4",
          "#808080", "#ff8a8a", "#8fe3a5", "#f2d98b", "#92bdf5", "#dcaaf2", "#85dbe8", "#ffffff"]


class Terminal:
    def __init__(self, socket, columns, rows, command, folder, environment):
        self.socket, self.columns, self.rows = socket, columns, rows
        subprocess.run(["tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-s", "t",
                        "-x", str(columns), "-y", str(rows), command],
                       cwd=folder, env=environment, check=True)

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True)
        return done.stdout

    def types(self, text):
        for letter in text:
            self.tmux("send-keys", "-t", "t", "-l", letter)
            time.sleep(0.01)

    def press(self, *keys):
        self.tmux("send-keys", "-t", "t", *keys)

    def escapes(self):
        self.press("Escape")
        time.sleep(0.5)  # with a key right behind it, it would be Alt

    def clear(self):
        self.press("C-l")
        time.sleep(0.3)  # what was on the screen is not taken for what comes

    def enters(self, line):
        self.types(line)
        self.press("Enter")

    def sees(self, text, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            shown = re.sub(r"\s+", " ", self.tmux("capture-pane", "-p", "-J", "-t", "t"))
            if text in shown:
                return
            time.sleep(0.05)
        raise SystemExit("the terminal never showed %r but:\n%s" % (
            text, self.tmux("capture-pane", "-p", "-t", "t")))

    def picture(self, name):
        time.sleep(0.3)  # what is being drawn is drawn
        screen = self.tmux("capture-pane", "-e", "-p", "-t", "t").split("\n")[:self.rows]
        column, row = self.tmux("display-message", "-p", "-t", "t", "#{cursor_x} #{cursor_y}").split()
        with open(name, "w", encoding="utf-8") as file:
            file.write(drawn(screen, self.columns, (int(column), int(row))))

    def close(self):
        self.tmux("kill-server")


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.color = self.ground = None
        self.bold = self.dim = self.italic = self.underlined = self.inverse = False

    def take(self, numbers):
        numbers = iter(numbers)
        for number in numbers:
            if number == 0:
                self.reset()
            elif number in (1, 2, 3, 4, 7):
                setattr(self, {1: "bold", 2: "dim", 3: "italic", 4: "underlined", 7: "inverse"}[number], True)
            elif number == 22:
                self.bold = self.dim = False
            elif number in (23, 24, 27):
                setattr(self, {23: "italic", 24: "underlined", 27: "inverse"}[number], False)
            elif number in (39, 49):
                setattr(self, {39: "color", 49: "ground"}[number], None)
            elif number in (38, 48):
                setattr(self, {38: "color", 48: "ground"}[number], extended(numbers))
            elif 30 <= number <= 37 or 90 <= number <= 97:
                self.color = COLORS[number - 30 if number < 90 else number - 82]
            elif 40 <= number <= 47 or 100 <= number <= 107:
                self.ground = COLORS[number - 40 if number < 100 else number - 92]

    def attributes(self):
        color, ground = self.color or FOREGROUND, self.ground
        if self.inverse:
            color, ground = ground or BACKGROUND, color
        out = ' fill="%s"' % color
        for there, text in ((self.bold, ' font-weight="bold"'), (self.dim, ' opacity="0.6"'),
                            (self.italic, ' font-style="italic"'),
                            (self.underlined, ' text-decoration="underline"')):
            out += text if there else ""
        return out, ground


def extended(numbers):
    if next(numbers) == 2:
        return "#%02x%02x%02x" % (next(numbers), next(numbers), next(numbers))
    index = next(numbers)
    if index < 16:
        return COLORS[index]
    if index >= 232:
        return "#" + "%02x" % (8 + 10 * (index - 232)) * 3
    levels = [0, 95, 135, 175, 215, 255]
    index -= 16
    return "#%02x%02x%02x" % (levels[index // 36], levels[index // 6 % 6], levels[index % 6])


def width_of(letter):
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def drawn(screen, columns, cursor):
    while screen and not re.sub(r"\x1b\[[0-9;]*m", "", screen[-1]).strip() and len(screen) > cursor[1] + 1:
        screen.pop()
    width, height = columns * CELL_WIDTH + 2 * MARGIN, len(screen) * CELL_HEIGHT + 2 * MARGIN
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" '
           'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">'
           % (width, height, width, height),
           '<rect width="100%%" height="100%%" rx="8" fill="%s"/>' % BACKGROUND]
    style = Style()
    for number, line in enumerate(screen):
        out += row(style, line, MARGIN + number * CELL_HEIGHT)
    out.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s" opacity="0.7"/>' % (
        MARGIN + cursor[0] * CELL_WIDTH, MARGIN + cursor[1] * CELL_HEIGHT + 1, CELL_WIDTH, CELL_HEIGHT - 2, FOREGROUND))
    return "\n".join(out) + "\n</svg>\n"


def row(style, line, top):
    """What one line of the screen is drawn with: a text for each run of one style."""
    out, column = [], 0
    for numbers, text in re.findall(r"\x1b\[([0-9;:]*)m|([^\x1b]+)", re.sub(r"\x1b(\][^\x07\x1b]*(\x07|\x1b\\)|[()][0B])|[\x0e\x0f]", "", line)):
        if not text:
            style.take([int(number or 0) for number in re.split("[;:]", numbers)])
            continue
        cells = sum(map(width_of, text))
        left = MARGIN + column * CELL_WIDTH
        attributes, ground = style.attributes()
        if ground:
            out.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>' % (
                left, top, cells * CELL_WIDTH, CELL_HEIGHT, ground))
        if text.strip():
            out.append('<text x="%.1f" y="%.1f" textLength="%.1f"%s>%s</text>' % (
                left, top + 13.5, cells * CELL_WIDTH, attributes, html.escape(text)))
        column += cells
    return out
