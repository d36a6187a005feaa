import { Fragment } from 'react'
import { clockText } from '../lib/format.ts'
import { RelativeTime } from './relative-time.tsx'

/** An instant as the server writes it, or a time of day without a zone; every part has a bound, so the search is linear. */
const INSTANT = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z?)/

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The word before an instant, which is a date once it is shown. */
const AT = /\bat $/

/** A sentence of the server: instants in it are shown in the reader's own zone, which is named where something is yet to happen. */
export function ToldText({ children }: { children: string }) {
  return (
    <>
      {children.split(INSTANT).map((part, at) =>
        // A split with one group alternates: words, instant, words.
        at % 2 === 0 ? (
          part.replace(AT, 'on ')
        ) : !part.endsWith('Z') ? (
          clockText(part)
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence do not move
          <Fragment key={at}>
            <RelativeTime at={part} absolute />
            {Date.parse(part) > Date.now() && ` (${ZONE})`}
          </Fragment>
        ),
      )}
    </>
  )
}
