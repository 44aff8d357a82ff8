"""A hook of MkDocs (mkdocs.yml): links from a page to files outside docs/ become their paths, as the site does not hold them."""
import re

OUTSIDE = re.compile(r"\[([^\]]*)\]\((?:\.\./)+((?:src|examples|tests|bench|tools)\b[^)]*|[^)/]*\.c)\)")


def on_page_markdown(markdown, page, config, files):
    return OUTSIDE.sub(lambda m: m.group(1) if m.group(2) in m.group(1) else "%s (`%s`)" % (m.group(1), m.group(2)), markdown)
