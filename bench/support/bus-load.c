/* One publisher and one subscriber of a subject, in processes of their own: `bus-load PORT SIZE`. For each line on its standard input it prints how many
 * messages of SIZE bytes have arrived, and the processor time of both in microseconds; it ends with its standard input. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Published and not arrived yet: less than any server drops. */
#define WINDOW_BYTES (4 * 1024 * 1024)
#define BLOCK_BYTES (64 * 1024)
#define SUBJECT "bench.subject"

struct shared {
  _Atomic uint64_t received; /* messages */
  _Atomic uint64_t used[2];  /* processor time of subscriber and publisher, microseconds */
};

static struct shared *shared;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(fd, bytes, length);
    if (written <= 0) fail("write");
    bytes += written;
    length -= (size_t)written;
  }
}

static void note_cpu(int index) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  shared->used[index] = (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}

/* A connection on which the server has answered everything. */
static int dial(int port, const char *first) {
  int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  write_all(fd, first, strlen(first));
  char answer[8192];
  size_t length = 0;
  while (length < sizeof answer - 1) {
    ssize_t got = read(fd, answer + length, sizeof answer - 1 - length);
    if (got <= 0) fail("read");
    length += (size_t)got;
    answer[length] = 0;
    if (strstr(answer, "PONG\r\n") != NULL) return fd;
  }
  fprintf(stderr, "the server does not answer\n");
  exit(1);
}

static void subscribe(int fd, size_t size) {
  char head[64];
  size_t whole = (size_t)snprintf(head, sizeof head, "MSG " SUBJECT " 1 %zu\r\n", size) + size + 2;
  static char buffer[256 * 1024];
  uint64_t bytes = 0, turns = 0;
  for (;;) {
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got <= 0) fail("read");
    bytes += (uint64_t)got;
    shared->received = bytes / whole;
    if (++turns % 64 == 0) note_cpu(0);
  }
}

static void publish(int fd, size_t size) {
  char head[64];
  size_t head_length = (size_t)snprintf(head, sizeof head, "PUB " SUBJECT " %zu\r\n", size);
  size_t whole = head_length + size + 2, count = BLOCK_BYTES / whole > 0 ? BLOCK_BYTES / whole : 1;
  char *block = malloc(whole * count);
  if (block == NULL) fail("malloc");
  for (size_t n = 0; n < count; n++) {
    char *at = block + n * whole;
    memcpy(at, head, head_length);
    memset(at + head_length, 'x', size);
    memcpy(at + whole - 2, "\r\n", 2);
  }
  uint64_t sent = 0;
  for (uint64_t turns = 0;; turns++) {
    while ((sent - shared->received) * whole >= WINDOW_BYTES) nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    write_all(fd, block, whole * count);
    sent += count;
    if (turns % 64 == 0) note_cpu(1);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int port = atoi(argv[1]);
  size_t size = (size_t)atol(argv[2]);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail("mmap");
  int subscriber = dial(port, "CONNECT {\"verbose\":false}\r\nSUB " SUBJECT " 1\r\nPING\r\n");
  int publisher = dial(port, "CONNECT {\"verbose\":false}\r\nPING\r\n");
  for (int index = 0; index < 2; index++) {
    if (fork() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (index == 0) subscribe(subscriber, size);
    else publish(publisher, size);
  }
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL) {
    printf("%llu %llu\n", (unsigned long long)shared->received, (unsigned long long)(shared->used[0] + shared->used[1]));
    fflush(stdout);
  }
  return 0;
}
