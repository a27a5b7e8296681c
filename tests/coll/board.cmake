# SPDX-License-Identifier: Apache-2.0
# Shared memory, call after call without anything in between. See board_test.c.
add_executable(coll_board board_test.c)
target_link_libraries(coll_board PRIVATE coll_job engine)

cor_rank_counts(counts 1 2 3 4 8)
foreach(ranks ${counts})
  coll_test(board.threads.${ranks} coll_board --threads ${ranks})
endforeach()
coll_test(board.extra.3 coll_board --threads 3 --extra 3)
coll_test(board.large.threads.4 coll_board --threads 4 --board 1m)
coll_test(board.cpus.threads.4 coll_board --threads 4 --cpus own)
coll_test(board.large.processes.3 ${TEST_LAUNCHER} run --timeout 300 -n 3 $<TARGET_FILE:coll_board> --board 1m)
coll_test(board.cpus.processes.3 ${TEST_LAUNCHER} run --timeout 300 -n 3 $<TARGET_FILE:coll_board> --cpus own)
foreach(ranks 2 4)
  coll_test(board.processes.${ranks} ${TEST_LAUNCHER} run --timeout 300 -n ${ranks} $<TARGET_FILE:coll_board>)
endforeach()
coll_test(board.file.3 ${TEST_LAUNCHER} run --timeout 300 --tune sm.segment=file -n 3 $<TARGET_FILE:coll_board>)
# Two processes are searched for leaks; more of them, a file, or a board of another size or place, have no others.
if(COR_SANITIZE STREQUAL "address")
  set_tests_properties(coll.board.processes.4 coll.board.file.3 coll.board.large.processes.3 coll.board.cpus.processes.3
                       PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()
