const SCHEME = /^[a-z][a-z0-9+-]*:/i
const MAILBOX = /^[^\s@/?]+@[^\s@/?]+\.[^\s@/?]+$/
const HOST = /^[^\s/?#.@{]+(?:\.[^\s/?#.@{]+)+(?:[/?#]|$)/
const TAKEN = /^(?:https?:\/\/|mailto:|tel:)[^\s]/i
const OUTPUT = /(\{\{[^{}"<>]*\}\})/

/** The address of a link as it was typed: a host without its scheme, and an address of mail, lead somewhere too. */
export function addressOf(typed: string): string {
  const text = typed.trim()
  if (SCHEME.test(text)) return text
  if (MAILBOX.test(text)) return `mailto:${text}`
  return HOST.test(text) ? `https://${text}` : text
}

/** That of a pasted link, with what an attribute cannot hold as an address writes it; undefined for one that leads nowhere in a mail. */
export function pastedAddress(href: string): string | undefined {
  const address = addressOf(href)
    .split(OUTPUT)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(/[\s"<>{}]/g, encodeURIComponent)))
    .join('')
  return TAKEN.test(address) ? address : undefined
}
