import { useState } from 'react'
import { numberText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Integration } from '../../lib/site-types.ts'
import { typedSince } from '../../lib/use-edits.ts'
import { useAct, useSiteTagged } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'
import { Link } from '../../ui/link.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import { IntegrationActs } from './integration-acts.tsx'
import { IntegrationBadges } from './integration-badges.tsx'
import { configOf, type Draft, draftOf, limitsOf, POINTERS } from './integration-draft.ts'
import { IntegrationFields } from './integration-fields.tsx'
import { limitsText, providerText, sourceText, WARNINGS } from './integration-words.ts'
import classes from './integrations.module.css'
import { leadsToMailbox } from './leads-to-mailbox.ts'
import { TestPanel } from './test-panel.tsx'

/** One way out: whether it works, how much may go through it, and its settings. */
export default function IntegrationPage() {
  const id = usePathId('integrationId')
  const can = useCan()
  const integration = useSiteTagged('GET /integrations/{id}', { params: { id } })
  return (
    <Shown read={integration}>
      {({ value, etag }) => (
        <>
          <PageHeader
            title={value.name}
            back={{ to: '/integrations', label: 'Integrations' }}
            badge={<IntegrationBadges integration={value} />}
            actions={
              <>
                <AsCurl operation="GET /integrations/{id}" params={{ id }} />
                <IntegrationActs integration={value} etag={etag} />
              </>
            }
          >
            {providerText(value)}
          </PageHeader>
          <Notices integration={value} />
          <div className={classes.columns}>
            <div className={classes.stack}>
              <Limits integration={value} />
              {can('integrations:write') && <SavedTest integration={value} />}
            </div>
            {can('integrations:write') && !leadsToMailbox(value) ? (
              <Settings integration={value} etag={etag} />
            ) : (
              <ReadOnly integration={value} />
            )}
          </div>
        </>
      )}
    </Shown>
  )
}

function Notices({ integration }: { integration: Integration }) {
  const { config, sendLimit } = integration
  const warnings = leadsToMailbox(integration) ? [] : sendLimit.warnings
  if (config.fromVerified && warnings.length === 0) return null
  return (
    <div className={classes.notices}>
      {!config.fromVerified && (
        <Notice tone="warn">
          The domain of <strong>{config.from}</strong> is not verified, so mail without a sender of its own is refused.{' '}
          <Link to="/domains">Verify it</Link>.
        </Notice>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} tone={warning === 'dailyLimitReached' ? 'bad' : 'info'}>
          {WARNINGS[warning]}
        </Notice>
      ))}
    </div>
  )
}

function Limits({ integration: { sendLimit } }: { integration: Integration }) {
  const { perSecond, perDay, sentLast24h } = sendLimit
  return (
    <Panel title="Limits that hold">
      <Facts>
        <Fact name="A second">
          {perSecond.limit === null ? 'No limit' : numberText(perSecond.limit)}{' '}
          <span className="soft">{sourceText(perSecond)}</span>
        </Fact>
        <Fact name="In 24 hours">
          {perDay.limit === null ? 'No limit' : numberText(perDay.limit)}{' '}
          <span className="soft">{sourceText(perDay)}</span>
        </Fact>
        <Fact name="Sent of it">
          <span className="numbers">{numberText(sentLast24h)}</span>
        </Fact>
      </Facts>
      {perDay.limit !== null && (
        <meter
          className={classes.meter}
          min={0}
          max={perDay.limit}
          high={perDay.limit * 0.8}
          value={Math.min(sentLast24h, perDay.limit)}
          aria-label="Sent of the daily limit"
        />
      )}
    </Panel>
  )
}

function SavedTest({ integration }: { integration: Integration }) {
  const test = useAct('POST /integrations/{id}/test')
  return (
    <TestPanel
      kind={integration.config.kind}
      result={test.data?.value}
      busy={test.isPending}
      onTest={() => test.mutateAsync({ params: { id: integration.id } }).catch(sayProblem)}
    />
  )
}

function Settings({ integration, etag }: { integration: Integration; etag: string | undefined }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(integration))
  // What was typed is a change of what was there when it began, and of nothing that came since.
  const [base, setBase] = useState(etag)
  const faults = useFormFaults(Object.values(POINTERS))
  const update = useAct('PATCH /integrations/{id}', { changes: ['/integrations'] })
  const save = (ifMatch: string | undefined) => {
    const body = { name: draft.name.trim(), config: configOf(draft), ...limitsOf(draft) }
    update.mutateAsync({ params: { id: integration.id }, body, ifMatch }).then((saved) => {
      setBase(saved.etag)
      setDraft((now) => ({ ...draftOf(saved.value), ...typedSince(draft, now) }))
      say('Saved.')
    }, faults.take)
  }
  const takeTheirs = () => {
    setDraft(draftOf(integration))
    setBase(etag)
  }
  return (
    <Form
      faults={faults}
      conflict={{ what: 'this integration', busy: update.isPending, onMine: () => save(etag), onTheirs: takeTheirs }}
      onSubmit={() => save(base)}
      actions={
        <Button type="submit" kind="primary" busy={update.isPending}>
          Save
        </Button>
      }
    >
      <IntegrationFields
        draft={draft}
        faults={faults}
        isNew={false}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
    </Form>
  )
}

function ReadOnly({ integration }: { integration: Integration }) {
  const { config, sendLimit } = integration
  return (
    <Panel title="Settings">
      <Facts>
        <Fact name="Sends through">{providerText(integration)}</Fact>
        {config.kind === 'smtp' && <Fact name="Encryption">{config.tls ?? '–'}</Fact>}
        <Fact name="User name">{config.username ?? '–'}</Fact>
        <Fact name="Sender">{config.fromName === null ? config.from : `${config.fromName} <${config.from}>`}</Fact>
        <Fact name="Limits">{limitsText(sendLimit)}</Fact>
      </Facts>
    </Panel>
  )
}
