# Run after a test executable was linked: writes a ctest entry for each of its suites, as the executable itself lists
# them, but for those that WITHOUT matches. -DEXECUTABLE= -DROOM= -DLABEL= -DOUTPUT= -DWITHOUT=
execute_process(COMMAND ${EXECUTABLE} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n]+[.]" suites "${listed}")
set(script "")
foreach(suite IN LISTS suites)
  string(STRIP "${suite}" suite)
  string(REGEX REPLACE "[.]$" "" suite "${suite}")
  if(WITHOUT AND suite MATCHES "${WITHOUT}")
    continue()
  endif()
  set(long "TIMEOUT 600")
  if(suite MATCHES "EveryRule")  # the longest starts first
    string(APPEND long " COST 100")
  endif()
  string(APPEND script "add_test([==[${ROOM}.${suite}]==] [==[${EXECUTABLE}]==] [==[--gtest_filter=${suite}.*]==] --gtest_brief=1)\n"
         "set_tests_properties([==[${ROOM}.${suite}]==] PROPERTIES LABELS ${LABEL} ${long} PROCESSORS 2)\n")
endforeach()
if(NOT suites)
  message(FATAL_ERROR "${EXECUTABLE} has no tests")
endif()
file(WRITE ${OUTPUT} "${script}")
