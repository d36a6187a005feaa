import { Fragment } from 'react'

/** Parts that an address may be broken between: behind what parts its steps, its question and its values. */
const PART = /[^/?&#]+[/?&#]*|[/?&#]+/g

/** An address in words that may be broken where one of its parts ends, so that no single letter stands on a line. */
export function UrlText({ url }: { url: string }) {
  return (url.match(PART) ?? []).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one address do not move
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
