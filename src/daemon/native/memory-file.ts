import { koffi, libc, prlimit, systemError } from "./libc.ts";

const mmap = libc.func("void *mmap(void *address, size_t length, int protection, int flags, int fd, int64_t offset)") as (
  address: null,
  length: number,
  protection: number,
  flags: number,
  fd: number,
  offset: number,
) => unknown;
const fallocate = libc.func("int fallocate(int fd, int mode, int64_t offset, int64_t length)") as (
  fd: number,
  mode: number,
  offset: number,
  length: number,
) => number;
const fcntl = libc.func("int fcntl(int fd, int command, ...)") as (fd: number, command: number, ...typed: unknown[]) => number;
const memfdCreate = libc.func("int memfd_create(const char *name, uint32_t flags)") as (name: string, flags: number) => number;

const F_ADD_SEALS = 1033;
const MFD_CLOEXEC = 1;
const MFD_ALLOW_SEALING = 2;
/** F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE. */
const ALL_SEALS = 0x1 | 0x2 | 0x4 | 0x8;
const PROT_READ_WRITE = 1 | 2;
const MAP_SHARED = 1;
/** MAP_FAILED as koffi returns it: all bits set. */
const MAP_FAILED = 2n ** BigInt(8 * koffi.sizeof("void *")) - 1n;
const FALLOC_FL_KEEP_SIZE = 1;
const FALLOC_FL_PUNCH_HOLE = 2;
const RLIMIT_FSIZE = 1;
/** `struct rlimit`: the soft and the hard limit, 64 bits each. */
const RLIMIT_BYTES = 16;

/** Opens a file in memory, which children do not inherit. */
export function openMemoryFile(name: string): number {
  const fd = memfdCreate(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd === -1) throw systemError("memfd_create");
  return fd;
}

/** Makes a file in memory unchangeable for good. */
export function sealMemoryFile(fd: number): void {
  if (fcntl(fd, F_ADD_SEALS, "int", ALL_SEALS) === -1) throw systemError("fcntl(F_ADD_SEALS)");
}

/**
 * Gives the bytes from `offset` on memory, and makes the file as long as they need. False: there is no memory, or the file would exceed the limit
 * of this process (RLIMIT_FSIZE), which the kernel answers with a signal. Without this call, missing memory would be a SIGBUS at a later write.
 */
export function allocateInFile(fd: number, offset: number, length: number): boolean {
  const limits = Buffer.alloc(RLIMIT_BYTES);
  if (prlimit(0, RLIMIT_FSIZE, null, limits) === -1) throw systemError("prlimit");
  return BigInt(offset + length) <= limits.readBigUInt64LE() && fallocate(fd, 0, offset, length) === 0;
}

/** Returns the memory of these bytes to the system; they are zeros from now on. False: they stay as they are. */
export function freeInFile(fd: number, offset: number, length: number): boolean {
  return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length) === 0;
}

/** The bytes from `offset` on, a multiple of the page size, as memory: until this program ends, also after the file is closed. */
export function mapFile(fd: number, offset: number, length: number): ArrayBuffer {
  const address = mmap(null, length, PROT_READ_WRITE, MAP_SHARED, fd, offset);
  if (address === null || koffi.address(address) === MAP_FAILED) throw systemError("mmap");
  return koffi.view(address, length);
}
