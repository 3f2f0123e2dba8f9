# STOKER_SANITIZE: a list for -fsanitize=, such as "address,undefined" or "thread".
if(STOKER_SANITIZE)
  add_compile_options(-fsanitize=${STOKER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${STOKER_SANITIZE})
endif()
