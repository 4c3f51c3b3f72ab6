#include "tracker/published/settings_check.h"

#include <utility>

#include "conf/load.h"

namespace weir {

SettingsCheckView check_of_settings(const std::string& name, const SettingsText& text) {
  CheckedText checked = check_settings_text(name, text);
  SettingsCheckView out;
  out.file = name;
  out.ok = checked.ok;
  for (Finding& finding : checked.findings) {
    out.findings.push_back({std::move(finding.file), finding.at.line, finding.at.column,
                            !finding.is_error, std::move(finding.what)});
  }
  out.errors = std::move(checked.errors);
  out.warnings = std::move(checked.warnings);
  return out;
}

}  // namespace weir
