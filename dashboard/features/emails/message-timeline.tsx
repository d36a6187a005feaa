import { wordsOf } from '../../lib/format.ts'
import type { TimelineEntry } from '../../lib/site-types.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { UrlText } from '../../ui/url-text.tsx'
import classes from './messages.module.css'
import { reasonText } from './reason-words.ts'

/** All that happened to a message, oldest first, with what servers said. */
export function MessageTimeline({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    <ol className={classes.timeline}>
      {entries.map(({ at, type, reason, reply, url, byMachine }) => (
        <li key={`${at} ${type} ${url ?? ''}`}>
          <div className={classes.entry}>
            <span>
              {wordsOf(type)}
              {byMachine === true && ' by a machine'}
              {byMachine === false && ' by a person'}
              {reason !== null && `: ${reasonText(reason)}`}
            </span>
            <span className="soft">
              <RelativeTime at={at} />
            </span>
          </div>
          {reply !== null && <p className="soft mono">{reply}</p>}
          {url !== null && (
            <p className={`soft ${classes.url}`}>
              <UrlText url={url} />
            </p>
          )}
        </li>
      ))}
    </ol>
  )
}
