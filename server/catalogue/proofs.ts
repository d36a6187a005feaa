/**
 * How well it is proven who an event of a browser is of, from the least: nobody was recognised; the page has claimed it; a link
 * of one of our mails was followed in it; the person has confirmed by mail; the workspace's server has signed it.
 */
export const PROOFS = ['none', 'claimed', 'link', 'confirmed', 'signed'] as const
export type Proof = (typeof PROOFS)[number]

/** Ways that events come in, beside the management API. */
export const BROWSER_SOURCES = ['collect', 'form'] as const
