import { useState } from 'react'
import { lazyPart, usePartsHere } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Broadcast } from '../../lib/site-types.ts'
import { areKnown, useOnceKnown } from '../../lib/use-known.ts'
import { useOneRun } from '../../lib/use-one-run.ts'
import { useSite } from '../../lib/use-site.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { SendIcon } from '../../ui/icons.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useFocusPassed } from '../../ui/passed-focus.ts'
import { SaveMark, SaveNotice } from '../../ui/save-state.tsx'
import { Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { say } from '../../ui/toasts.tsx'
import { useChosenBlock } from '../templates/use-chosen-block.ts'
import { usePreview } from '../templates/use-preview.ts'
import { useBroadcastDraft, type Written, writtenOf } from './broadcast-draft.ts'
import { BroadcastMenu } from './broadcast-menu.tsx'
import { STATUSES } from './broadcast-words.ts'
import { whenText } from './choose-when.ts'
import classes from './compose.module.css'
import { ComposeAudience, useAudienceChoices } from './compose-audience.tsx'
import { ComposeContent } from './compose-content.tsx'
import { ComposeFoot } from './compose-foot.tsx'
import type { SectionName } from './compose-section.tsx'
import { ComposeSender } from './compose-sender.tsx'
import { ComposeWhen } from './compose-when.tsx'
import { useWhen } from './kept-when.ts'
import { PreflightChecks } from './preflight-checks.tsx'
import { senderOf } from './sender.ts'
import { useFolds } from './use-folds.ts'
import { usePreflight } from './use-preflight.ts'
import { whenFindings } from './when-findings.ts'

const MailPreview = lazyPart(
  async () => ({ default: (await import('../templates/mail-preview.tsx')).MailPreview }),
  <Loading rows={6} label="The preview is loading" />,
)
const PARTS = [MailPreview]
const SendDialog = lazyPart(() => import('./send-dialog.tsx'))
const SendTestDialog = lazyPart(() => import('./send-test-dialog.tsx'))

/** A draft on one page: to whom, what it says, from whom, when; it saves itself, and is checked as it is written. */
export default function ComposePage({ broadcast, etag }: { broadcast: Broadcast; etag: string | undefined }) {
  const { id } = broadcast
  const can = useCan()
  const draft = useBroadcastDraft(id, { value: writtenOf(broadcast), etag })
  const { value, state, change } = draft
  const [when, setWhen] = useWhen(id)
  const [contactId, setContactId] = useState('')
  const blocks = useChosenBlock()
  // Goes away under whoever writes in it when somebody else has sent or scheduled it.
  const written = useFocusPassed()
  const { isNarrow, foldOf, open } = useFolds(isBegun(value) ? undefined : 'Content')
  const [isSending, setSending] = useState(false)
  const [isTesting, setTesting] = useState(false)
  const preview = usePreview(value, contactId)
  const preflight = usePreflight(id, draft.etag)
  const integrations = useSite('GET /integrations', { query: { pageSize: 100 } }, { enabled: can('integrations:read') })
  const choices = useAudienceChoices()
  const show = (title: SectionName, line: number | null) => {
    open(title)
    if (line !== null) blocks.editor.current?.showLine(line)
  }
  const isInPlace = useOnceKnown(usePartsHere(PARTS) && choices.isKnown && areKnown(preflight))
  const sender = senderOf(value, integrations.data?.items ?? [])
  const checks = preflight.data?.checks ?? []
  const onTime = whenFindings(when)
  const { once, isRunning } = useOneRun(async () => {
    if (await draft.flush()) setSending(true)
    else say(NOT_SAVED)
  })
  const sendButton = (
    <Button kind="primary" icon={SendIcon} busy={isRunning} onClick={() => void once()}>
      {when.is === 'now' ? 'Send…' : 'Schedule…'}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={value.name}
        back={{ to: '/broadcasts', label: 'Broadcasts' }}
        badge={<StatusBadge tone={STATUSES.draft.tone}>{STATUSES.draft.words}</StatusBadge>}
        actions={
          <>
            <SaveMark state={state} />
            <AsCurl operation="GET /broadcasts/{id}/preflight" params={{ id }} />
            {can('broadcasts:send') && (
              <>
                <Button onClick={() => setTesting(true)}>Send a test</Button>
                {!isNarrow && sendButton}
              </>
            )}
            <BroadcastMenu broadcast={{ ...broadcast, ...value }} />
          </>
        }
      />
      <div className={classes.notices}>
        <SaveNotice state={state} isRestored={draft.isRestored} onResolve={(as) => void draft.resolve(as)} />
        {state.is === 'refused' && <FormProblem problem={state.problem} />}
      </div>
      {isInPlace ? (
        <div className={classes.columns} ref={written}>
          <div className={classes.sections}>
            <ComposeAudience
              choices={choices}
              value={value}
              onChange={change}
              preflight={preflight}
              fold={foldOf('Audience')}
            />
            <ComposeContent
              value={value}
              onChange={change}
              preview={preview}
              checks={checks}
              blocks={blocks}
              fold={foldOf('Content')}
            />
            <ComposeSender
              value={value}
              onChange={change}
              integrations={integrations.data}
              checks={checks}
              fold={foldOf('Sender')}
            />
            <ComposeWhen value={when} checks={onTime} onChange={setWhen} fold={foldOf('When')} />
          </div>
          <div className={classes.beside}>
            <PreflightChecks preflight={preflight} onTime={onTime} onPlace={show} />
            <MailPreview
              preview={preview}
              fromName={sender.name ?? sender.email ?? 'Sender'}
              contactId={contactId}
              onContact={setContactId}
              blocks={{
                ...blocks,
                choose: (begin) => {
                  if (begin !== null) open('Content')
                  blocks.choose(begin)
                },
              }}
            />
          </div>
        </div>
      ) : (
        <Loading rows={8} />
      )}
      {isNarrow && can('broadcasts:send') && (
        <ComposeFoot preflight={preflight} onTime={onTime}>
          {sendButton}
        </ComposeFoot>
      )}
      {isTesting && (
        <SendTestDialog id={id} contactId={contactId} onBefore={draft.flush} onClose={() => setTesting(false)} />
      )}
      {isSending && (
        <SendDialog
          id={id}
          subject={value.subject}
          topicId={value.topicId}
          sender={sender}
          when={when}
          starts={whenText(when)}
          onTime={onTime}
          preflight={preflight}
          onClose={() => setSending(false)}
        />
      )}
    </>
  )
}

/** A foot of a phone is far from where the page says why. */
const NOT_SAVED = 'Not yet: it has to be saved first, which did not work.'
/** Whether it says something already. */
const isBegun = ({ subject, body }: Written) => subject.trim() !== '' && body.trim() !== ''
