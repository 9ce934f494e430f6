// Which devices work together in a collective: {{0,1},{2,3}}, [2,4]<=[8], [2,4]<=[4,2]T(1,0), mesh['x'=2,'y'=4] {'x'}.
#include "core/text/proto/convert.h"
#include "core/text/proto/raw_cursor.h"

namespace hloscope {
namespace {

std::string IotaText(const pb::IotaReplicaGroupListProto& list) {
  std::string text = absl::StrCat("[", list.num_replica_groups(), ",", list.num_devices_per_group(), "]<=[",
                                  absl::StrJoin(list.iota_reshape_dims(), ","), "]");
  if (list.iota_transpose_perm_size() > 1) absl::StrAppend(&text, "T(", absl::StrJoin(list.iota_transpose_perm(), ","), ")");
  return text;
}

template <typename Field>
std::string GroupsText(const Field& groups) {
  return absl::StrCat("{", absl::StrJoin(groups, ",", [](std::string* out, const pb::ReplicaGroup& g) { out->append(ListText(g.replica_ids())); }),
                      "}");
}

bool ParseIota(RawCursor& c, pb::IotaReplicaGroupListProto* list) {
  int64_t groups, size;
  if (!c.Take("[") || !c.Integer(&groups) || !c.Take(",") || !c.Integer(&size) || !c.Take("]") || !c.Take("<=")) return false;
  list->set_num_replica_groups(groups);
  list->set_num_devices_per_group(size);
  if (!c.Integers("[", "]", list->mutable_iota_reshape_dims())) return false;
  if (c.Take("T")) return c.Integers("(", ")", list->mutable_iota_transpose_perm()) && c.AtEnd();
  list->add_iota_transpose_perm(0);
  return list->iota_reshape_dims_size() == 1 && c.AtEnd();
}

}  // namespace

std::string DevicesText(const pb::HloInstructionProto& p) {
  if (p.has_mesh_axes_replica_group_list()) {
    const pb::MeshAxesReplicaGroupListProto& list = p.mesh_axes_replica_group_list();
    return absl::StrCat(MeshText(list.mesh()), " ", AxesText(list.axes(), list.mesh()));
  }
  if (p.has_iota_collective_device_list()) return IotaText(p.iota_collective_device_list());
  if (p.collective_device_list().has_iota_replica_group_list()) return IotaText(p.collective_device_list().iota_replica_group_list());
  if (p.has_collective_device_list()) return GroupsText(p.collective_device_list().replica_groups());
  return GroupsText(p.replica_groups());
}

bool ParseDevices(absl::string_view text, pb::HloInstructionProto* proto) {
  RawCursor c(text);
  pb::CollectiveDeviceListProto* list = proto->mutable_collective_device_list();
  if (c.Peek() == '[') return ParseIota(c, list->mutable_iota_replica_group_list());
  if (!c.Take("{")) return false;
  if (c.Take("}")) return c.AtEnd();
  do {
    pb::ReplicaGroup* group = list->add_replica_groups();
    if (!c.Integers("{", "}", group->mutable_replica_ids())) return false;
    *proto->add_replica_groups() = *group;  // where older readers look
  } while (c.Take(","));
  return c.Take("}") && c.AtEnd();
}

std::string MeshText(const pb::MeshProto& mesh) {
  std::vector<std::string> axes;
  for (const pb::MeshProto::MeshAxis& axis : mesh.axes()) axes.push_back(absl::StrCat("'", axis.name(), "'=", axis.size()));
  std::string text = absl::StrCat("mesh[", absl::StrJoin(axes, ","), "]");
  if (mesh.device_ids_size() > 0) absl::StrAppend(&text, ", device_ids=(", absl::StrJoin(mesh.device_ids(), ","), ")");
  return text;
}

std::string AxesText(const google::protobuf::RepeatedPtrField<pb::AxisRefProto>& axes, const pb::MeshProto& mesh) {
  std::vector<std::string> texts;
  for (const pb::AxisRefProto& axis : axes) {
    const int64_t i = axis.mesh_axis_index();
    std::string text = absl::StrCat("'", i >= 0 && i < mesh.axes_size() ? mesh.axes(static_cast<int>(i)).name() : absl::StrCat(i), "'");
    if (axis.has_sub_axis_info()) absl::StrAppend(&text, ":(", axis.sub_axis_info().pre_size(), ")", axis.sub_axis_info().size());
    texts.push_back(std::move(text));
  }
  return absl::StrCat("{", absl::StrJoin(texts, ", "), "}");
}

}  // namespace hloscope
