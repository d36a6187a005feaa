import { useCan } from '../../../lib/permissions.ts'
import type { Automation } from '../../../lib/site-types.ts'
import { useSite } from '../../../lib/use-site.ts'
import { usePathId, useUrlState } from '../../../lib/use-url-state.ts'
import { AsCurl } from '../../../ui/as-curl.tsx'
import { PencilIcon } from '../../../ui/icons.tsx'
import { ButtonLink } from '../../../ui/link.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { EmptyState, Shown } from '../../../ui/states.tsx'
import classes from '../automations.module.css'
import { EarlierReplays } from './earlier-replays.tsx'
import { ReplayForm } from './replay-form.tsx'
import { Replayed } from './replayed.tsx'

const POLL_MS = 2_000

/** The draft of an automation over what really happened, before it mails anybody. */
export default function TimeMachinePage() {
  const id = usePathId('automationId')
  const automation = useSite('GET /automations/{id}', { params: { id } })
  return <Shown read={automation}>{(found) => <TimeMachine automation={found} />}</Shown>
}

function TimeMachine({ automation }: { automation: Automation }) {
  const { id, name, status } = automation
  const can = useCan()
  const [{ replay }, setUrl] = useUrlState({ replay: '' })
  const list = useSite(
    'GET /automations/{id}/simulations',
    { params: { id } },
    { pollMs: ({ items }) => items.some(({ state }) => state === 'running') && POLL_MS },
  )
  return (
    <>
      <PageHeader
        title="Time machine"
        back={{ to: `/automations/${id}`, label: name }}
        actions={
          <>
            <AsCurl operation="POST /automations/{id}/simulate" params={{ id }} body={{ days: 30 }} />
            {can('automations:write') && status !== 'stopped' && (
              <ButtonLink to={`/automations/${id}/edit`} icon={PencilIcon}>
                Edit
              </ButtonLink>
            )}
          </>
        }
      >
        What the draft of {name} would have done, had it been in force. Nobody is mailed.
      </PageHeader>
      <div className={classes.sections}>
        {status !== 'stopped' && <ReplayForm id={id} onBegun={(begun) => setUrl({ replay: begun })} />}
        <Shown read={list} rows={4}>
          {({ items }) => {
            const shown = items.find((one) => one.id === replay) ?? items[0]
            if (shown === undefined) {
              return (
                <EmptyState title="Nothing replayed yet">
                  A replay sends everything that really happened through the draft, person by person: who would have
                  come in, which way they went, and which mails on which day, beside the version in force.
                </EmptyState>
              )
            }
            return (
              <>
                {replay !== '' && shown.id !== replay && (
                  <Notice tone="info">That replay is no longer kept. This is the newest.</Notice>
                )}
                <Replayed key={shown.id} automation={automation} id={shown.id} />
                {items.length > 1 && <EarlierReplays automationId={id} items={items} shown={shown.id} />}
              </>
            )
          }}
        </Shown>
      </div>
    </>
  )
}
