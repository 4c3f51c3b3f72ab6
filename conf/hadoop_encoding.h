// The text of an XML file of Hadoop's as UTF-8, whatever it is written in: UTF-16, known by its
// byte order mark, or ISO-8859-1, if the file says that it is. Lines stay where they are. Pure, any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// As it is, but for a byte order mark, if it is in neither, or broken: who reads it looks.
std::string utf8_of_xml(std::string_view bytes);

}  // namespace weir
