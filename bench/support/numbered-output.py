"""Writes numbered lines of 1 KiB at a pace, lines per second, and measures how long its terminal did not accept one. Ends at a line of input."""
import select, sys, time

period = 1 / float(sys.argv[1])
longest = 0.0
number = 0
begin = time.monotonic()
while True:
    number += 1
    before = time.monotonic()
    sys.stdout.write(f"{number:010d} {'x' * 1013}\n")
    sys.stdout.flush()
    longest = max(longest, time.monotonic() - before)
    rest = max(0.0, begin + number * period - time.monotonic())
    if select.select([sys.stdin], [], [], rest)[0]:
        break
print(f"\nlongest {1000 * longest:.1f} ms", flush=True)
time.sleep(1000)
