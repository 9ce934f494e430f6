// Between the program and its library for MPI, which is loaded when it is asked for (process_link.h): the program starts where there is no MPI.
// Plain C, as each side may be built anew without the other. All calls come from one thread, the one that opens.
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_MPI_ABI_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_MPI_ABI_H_

extern "C" {

struct HloscopeMpi {
  // This process's number among all. 0: done; else `why`, which holds `size` bytes, says what went wrong.
  int (*open)(int* rank, int* count, char* why, int size);
  // The data stays until `sent` says 1; then the handle is gone.
  void* (*send)(int to, const void* data, long long bytes);
  int (*sent)(void* handle);
  // The size of a message that has come, and from whom; -1: none has. It is taken before the next one is asked for.
  long long (*probe)(int* from);
  void (*receive)(int from, void* data, long long bytes);
  void (*close)();
};

// The library's only symbol.
const HloscopeMpi* hloscope_mpi();
}

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_MPI_ABI_H_
