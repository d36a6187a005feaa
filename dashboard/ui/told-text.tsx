import { RelativeTime } from './relative-time.tsx'

/** An instant as the server writes it; every part has a bound, so the search is linear. */
const INSTANT = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z)/

/** A sentence of the server: instants in it are shown in the reader's own zone, as everywhere else. */
export function ToldText({ children }: { children: string }) {
  return (
    <>
      {children.split(INSTANT).map((part, at) =>
        // A split with one group alternates: words, instant, words.
        at % 2 === 0 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence do not move
          <RelativeTime key={at} at={part} absolute />
        ),
      )}
    </>
  )
}
