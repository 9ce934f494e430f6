// send and recv: shapes of old and new texts, and each requirement.
#include "tests/ops/running.h"

namespace hloscope {
namespace {

TEST(SendRecv, ShapesWithAndWithoutToken) {
  const std::string t = "  t = token[] after-all()\n  x = f32[2] parameter(0)\n  ";
  ExpectAccepted(t + "s = (f32[2], u32[], token[]) send(x, t), channel_id=1\n  ROOT r = token[] send-done(s), channel_id=1");
  ExpectAccepted(t + "s = (f32[2], u32[], token[]) recv(t), channel_id=1\n  ROOT r = (f32[2], token[]) recv-done(s), channel_id=1");
  ExpectAccepted(t + "s = (f32[2], u32[]) recv(), channel_id=1\n  ROOT r = f32[2] recv-done(s), channel_id=1");
  ExpectAccepted(t + "s = (f32[2], u32[]) send(x), channel_id=1\n  ROOT r = () send-done(s), channel_id=1");
}

TEST(SendRecv, Requirements) {
  const std::string t = "  t = token[] after-all()\n  x = f32[2] parameter(0)\n  ROOT r = ";
  ExpectError(t + "(f32[2], u32[], token[]) send(x, x), channel_id=1", "send.token");
  ExpectError(t + "(f32[2], u32[], token[]) recv(x), channel_id=1", "recv.token");
  ExpectError(t + "(f32[2], u32[]) recv(t), channel_id=1", "recv.shape");
  ExpectError(t + "f32[2] recv(t), channel_id=1", "recv.shape");
  ExpectError(t + "(opaque[], u32[], token[]) recv(t), channel_id=1", "recv.data");
  ExpectError(t + "token[] send-done(x), channel_id=1", "send-done.operand");
  ExpectError(t + "f32[2] recv-done(x), channel_id=1", "recv-done.operand");
  const std::string u = "  t = token[] after-all()\n  x = f32[2] parameter(0)\n  s = (f32[2], u32[], token[]) send(x, t), channel_id=1\n"
                        "  q = (f32[2], u32[], token[]) recv(t), channel_id=2\n  ROOT r = ";
  ExpectError(u + "token[] send-done(s), channel_id=2", "send-done.channel");
  ExpectError(u + "token[] send-done(q), channel_id=2", "send-done.partner");
  ExpectError(u + "(f32[2], token[]) recv-done(q), channel_id=1", "recv-done.channel");
  ExpectError(u + "(f32[2], token[]) recv-done(s), channel_id=1", "recv-done.partner");
}

}  // namespace
}  // namespace hloscope
