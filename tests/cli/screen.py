"""screen.py COLUMNS... -- COMMAND...: runs a command whose progress line is on a terminal of so many columns, resized from
one width to the next while the command runs, and interrupts it. Prints "COLUMNS<tab>LINE" for every drawing. A width of 0 is
a terminal that does not know its size; the first width must leave room for a percentage."""
import fcntl, os, signal, struct, subprocess, sys, termios

DRAWINGS = 2  # of every width


def resize(columns):
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if columns else 0, columns, 0, 0))


def drawings():
    """Complete drawings, as the program writes them. The terminal turns a newline into \\r\\n."""
    text = b""
    while True:
        try:
            text += os.read(master, 65536)
        except OSError:  # the program has ended
            sys.exit("the command ended before it had drawn enough: " + text.decode(errors="replace"))
        *complete, text = text.split(b"\r\x1b[K")
        yield from (drawing.decode() for drawing in complete)


at = sys.argv.index("--")
widths, command = [int(word) for word in sys.argv[1:at]], sys.argv[at + 1:]
master, slave = os.openpty()
resize(widths[0])
process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
lines = drawings()
while "%" not in next(lines):  # the bar appears after half a second
    pass
for columns in widths:
    resize(columns)
    for _ in range(2):  # begun before
        next(lines)
    for _ in range(DRAWINGS):
        print(columns, next(lines), sep="\t")
process.send_signal(signal.SIGINT)
os.close(slave)
try:
    while os.read(master, 65536):
        pass
except OSError:
    pass
sys.exit(0 if process.wait() == 130 else "exit code %d" % process.returncode)
