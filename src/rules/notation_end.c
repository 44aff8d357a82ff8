// notation_end: takes back the algebra of notation.c, so that none of its short names reaches the including file. The
// form of rule sets goes by ir/match_end.c.
#ifdef TN_RULES_NOTATION
#undef K
#undef N
#undef B
#undef X
#undef op2
#undef add
#undef sub
#undef mul
#undef fdiv
#undef shl
#undef shr
#undef idiv
#undef mod
#undef max_
#undef lt
#undef ne
#undef and_
#undef or_
#undef xor_
#undef not_
#undef where
#undef cast
#undef TN_RULES_NOTATION                   // it may begin again
#endif
