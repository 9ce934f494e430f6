// The library for MPI: messages of any size between processes (abi.h). A message is its size, and then its bytes in pieces, as counts are ints.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "backends/exchange/mpi/abi.h"

namespace {

constexpr int kSizes = 1, kPieces = 2;  // tags
constexpr long long kPiece = 1LL << 30;

struct Sending {
  long long bytes;
  std::vector<MPI_Request> requests;
};

int Open(int* rank, int* count, char* why, int size) {
  setenv("HWLOC_COMPONENTS", "-gl", 0);  // X servers are not asked about their cards: one that goes away would end the process
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED) {
    std::strncpy(why, "MPI cannot be initialized for a program with threads", static_cast<size_t>(size) - 1);
    return 1;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, count);
  return 0;
}

void* Send(int to, const void* data, long long bytes) {
  auto* sending = new Sending{bytes, {}};
  const auto begin = [&](const void* from, long long n, int tag) {
    sending->requests.emplace_back();
    MPI_Isend(from, static_cast<int>(n), MPI_BYTE, to, tag, MPI_COMM_WORLD, &sending->requests.back());
  };
  begin(&sending->bytes, sizeof(sending->bytes), kSizes);
  for (long long at = 0; at < bytes; at += kPiece) begin(static_cast<const char*>(data) + at, std::min(kPiece, bytes - at), kPieces);
  return sending;
}

int Sent(void* handle) {
  auto* sending = static_cast<Sending*>(handle);
  int done = 0;
  MPI_Testall(static_cast<int>(sending->requests.size()), sending->requests.data(), &done, MPI_STATUSES_IGNORE);
  if (done != 0) delete sending;
  return done;
}

long long Probe(int* from) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, kSizes, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return -1;
  long long bytes = 0;
  MPI_Recv(&bytes, sizeof(bytes), MPI_BYTE, status.MPI_SOURCE, kSizes, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  *from = status.MPI_SOURCE;
  return bytes;
}

void Receive(int from, void* data, long long bytes) {
  for (long long at = 0; at < bytes; at += kPiece) {
    MPI_Recv(static_cast<char*>(data) + at, static_cast<int>(std::min(kPiece, bytes - at)), MPI_BYTE, from, kPieces, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void Close() { MPI_Finalize(); }

constexpr HloscopeMpi kMpi = {Open, Send, Sent, Probe, Receive, Close};

}  // namespace

extern "C" const HloscopeMpi* hloscope_mpi() { return &kMpi; }
