// match_end: takes back the form of rule sets (match.c), so that none of its short names reaches the including file.
#ifdef TN_IR_MATCH
#undef RULES
#undef RULE
#undef USE
#undef RULES_END
#endif
