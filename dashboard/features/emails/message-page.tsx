import { useState } from 'react'
import { wordsOf } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Link } from '../../ui/link.tsx'
import { MailFrame } from '../../ui/mail-frame.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { MessageExplanation } from './message-explanation.tsx'
import { MessageTimeline } from './message-timeline.tsx'
import classes from './messages.module.css'
import { useSourceNames } from './source-names.ts'

/** One mail to one person: what it said, all that happened to it, and why. */
export default function MessagePage() {
  const id = usePathId('messageId')
  const can = useCan()
  const params = { id }
  const explanation = useSite('GET /messages/{id}/explain', { params })
  const detail = useSite('GET /emails/{id}', { params }, { enabled: can('emails:send') })
  const { nameOf, isKnown } = useSourceNames()
  return (
    <Shown read={explanation} when={isKnown}>
      {({ destination, contactId, broadcastId, automationId, surface, purpose }) => (
        <>
          <PageHeader
            title={destination || 'Erased'}
            back={{ to: '/messages', label: 'Messages' }}
            actions={<AsCurl operation="GET /messages/{id}/explain" params={params} />}
          >
            {detail.data?.subject ?? nameOf({ broadcastId, automationId }) ?? `${wordsOf(surface)} message`}
          </PageHeader>
          <div className={classes.columns}>
            <div className={classes.side}>
              <Panel title="Why">
                <MessageExplanation messageId={id} plain />
              </Panel>
              <Panel title="About it">
                <Facts>
                  <Fact name="Kind">
                    {wordsOf(surface)}
                    {purpose !== surface && `, ${purpose}`}
                  </Fact>
                  {contactId !== null && (
                    <Fact name="Contact">
                      <Link to={`/contacts/${contactId}`}>{destination || contactId}</Link>
                    </Fact>
                  )}
                  {broadcastId !== null && can('broadcasts:read') && (
                    <Fact name="Broadcast">
                      <Link to={`/broadcasts/${broadcastId}`}>Its report</Link>
                    </Fact>
                  )}
                  {automationId !== null && nameOf({ broadcastId, automationId }) !== undefined && (
                    <Fact name="Automation">
                      <Link to={`/automations/${automationId}`}>{nameOf({ broadcastId, automationId })}</Link>
                    </Fact>
                  )}
                  {detail.data?.settledAt && (
                    <Fact name="Settled">
                      <RelativeTime at={detail.data.settledAt} absolute />
                    </Fact>
                  )}
                  {detail.data?.reply && <Fact name="Last reply">{detail.data.reply}</Fact>}
                  {detail.data?.providerMessageId && (
                    <Fact name="Provider’s id">
                      <Copyable text={detail.data.providerMessageId} />
                    </Fact>
                  )}
                  <Fact name="Id">
                    <Copyable text={id} />
                  </Fact>
                </Facts>
              </Panel>
              {detail.data && (
                <Panel title="Timeline">
                  <MessageTimeline entries={detail.data.timeline} />
                </Panel>
              )}
            </div>
            <MessageContentPanel id={id} />
          </div>
        </>
      )}
    </Shown>
  )
}

function MessageContentPanel({ id }: { id: string }) {
  const [isText, setText] = useState(false)
  const content = useSite('GET /messages/{id}/content', { params: { id } })
  return (
    <Panel
      title="What it says"
      flush
      actions={
        content.data?.html != null &&
        content.data.text !== null && (
          <Button small kind="quiet" aria-pressed={isText} onClick={() => setText(!isText)}>
            {isText ? 'HTML' : 'Text'}
          </Button>
        )
      }
    >
      {content.error?.status === 409 ? (
        <p className="soft panel-words">{content.error.detail}</p>
      ) : (
        <Shown read={content}>
          {({ from, subject, html, text, asSent }) => (
            <>
              <div className="panel-words">
                <p>
                  <strong>{subject}</strong>
                </p>
                <p className="soft">
                  From {from.name ? `${from.name}, ` : ''}
                  {from.address}
                </p>
                {!asSent && (
                  <Notice>
                    Made again now. The person, the postal address or the automation has changed since: what depends on
                    them may have read otherwise.
                  </Notice>
                )}
              </div>
              {html === null || isText ? (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keys too
                <pre className={classes.text} tabIndex={0}>
                  {text}
                </pre>
              ) : (
                <MailFrame html={html} title="What it says" />
              )}
            </>
          )}
        </Shown>
      )}
    </Panel>
  )
}
