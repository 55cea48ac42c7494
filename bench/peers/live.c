// The program that each process manager is measured with: it says that it runs, then waits for a signal.
// Arguments: a FIFO and a number. It writes "number pid" to the FIFO.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char line[64];
  if (argc != 3) return 2;
  int fifo = open(argv[1], O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fifo == -1) return 3;
  int length = snprintf(line, sizeof line, "%s %d\n", argv[2], (int)getpid());
  if (write(fifo, line, (size_t)length) != length) return 4;
  close(fifo);
  for (;;) pause();
}
