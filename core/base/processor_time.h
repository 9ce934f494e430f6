// How long this thread has computed: for limits that are the same on a busy machine. Not for what somebody waits for.
#ifndef HLOSCOPE_CORE_BASE_PROCESSOR_TIME_H_
#define HLOSCOPE_CORE_BASE_PROCESSOR_TIME_H_

namespace hloscope {

// Of the calling thread since it began; other threads that work for it do not count.
double ProcessorSeconds();

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_PROCESSOR_TIME_H_
