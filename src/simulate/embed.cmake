# Writes the scenarios of FOLDER into OUTPUT as string literals, sorted by name.
file(GLOB scenarios ${FOLDER}/*.yaml)
list(SORT scenarios)
set(body "")
foreach(file IN LISTS scenarios)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND body "    {\"${name}\", R\"scenario(${text})scenario\"},\n")
endforeach()
file(WRITE "${OUTPUT}"
"// Generated from scenarios/*.yaml.
#include \"simulate/builtin.h\"

namespace warpsight::simulate {

std::span<const BuiltinText> builtin_texts() {
  static constexpr BuiltinText kTexts[] = {
${body}  };
  return kTexts;
}

}  // namespace warpsight::simulate
")
