import { wordsOf } from '../../lib/format.ts'
import { useSite } from '../../lib/use-site.ts'
import { CheckIcon, ClockIcon, type Icon, InfoCircleIcon, XIcon } from '../../ui/icons.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { ToldText } from '../../ui/told-text.tsx'
import classes from './contact-messages.module.css'

const VERDICTS: Readonly<Record<string, { icon: Icon; words: string }>> = {
  passes: { icon: CheckIcon, words: 'lets it through' },
  stops: { icon: XIcon, words: 'stops it' },
  delays: { icon: ClockIcon, words: 'delays it' },
  tells: { icon: InfoCircleIcon, words: 'tells' },
}

/** Why somebody did or did not get a message: one sentence, and everything it follows from. In a panel of its own it is `plain`. */
export function MessageExplanation({ messageId, plain = false }: { messageId: string; plain?: boolean }) {
  const explanation = useSite('GET /messages/{id}/explain', { params: { id: messageId } })
  return (
    <div className={classes.explanation} data-plain={plain || undefined}>
      <Shown read={explanation} rows={3}>
        {({ summary, findings }) => (
          <>
            <p className={classes.summary}>
              <ToldText>{summary}</ToldText>
            </p>
            <ul>
              {findings.map(({ subject, verdict, detail, at }) => {
                const { icon: Mark, words } = VERDICTS[verdict]!
                return (
                  <li key={`${subject}-${detail}`} data-verdict={verdict}>
                    <Mark size={14} />
                    <span>
                      <strong>{wordsOf(subject)}</strong> <span className="visually-hidden">{words}: </span>
                      <ToldText>{detail}</ToldText>
                      {at !== null && (
                        <>
                          {' '}
                          <span className="soft">
                            <RelativeTime at={at} />
                          </span>
                        </>
                      )}
                    </span>
                  </li>
                )
              })}
            </ul>
          </>
        )}
      </Shown>
    </div>
  )
}
