import { useState } from 'react'
import { countText, numberText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Move } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { MoveForeseen } from './move-foreseen.tsx'
import { MoveResult } from './move-result.tsx'
import { isMoving, MOVER_NEEDS, MoveState } from './move-words.tsx'
import classes from './moving.module.css'

const POLL_MS = 1_000

/** One move: what would come, then how it comes, then what has come. */
export default function MovePage() {
  const id = usePathId('moveId')
  const can = useCan()
  const read = useSite('GET /moves/{id}', { params: { id } }, { pollMs: (move) => isMoving(move) && POLL_MS })
  return (
    <Shown read={read}>
      {(move) => (
        <>
          <PageHeader
            title={`From ${move.name}`}
            back={{ to: '/moves', label: 'Moves' }}
            badge={<MoveState state={move.state} />}
            actions={MOVER_NEEDS.every(can) && <Acts move={move} />}
          >
            {move.address !== null && `${move.address}. `}Begun <RelativeTime at={move.createdAt} />.
          </PageHeader>
          <div className={classes.parts}>
            <Words move={move} />
            {(move.startedAt !== null || move.state === 'done') && <MoveResult move={move} />}
            <MoveForeseen move={move} />
          </div>
        </>
      )}
    </Shown>
  )
}

function Words({ move }: { move: Move }) {
  if (move.failure !== null) return <Notice tone="bad">It did not go on: {move.failure}.</Notice>
  if (move.waitsUntil !== null && move.state === 'reading') {
    return (
      <Notice tone="info">
        {move.name} has had enough for now, and is asked again <RelativeTime at={move.waitsUntil} />.
      </Notice>
    )
  }
  if (move.state === 'reading') {
    return (
      <Notice tone="info">{countText(move.pages, 'page')} read so far. You may leave this page: it goes on.</Notice>
    )
  }
  if (move.state === 'read' && !move.canStart) {
    return <Notice tone="warn">It was read too long ago, and is gone. Read it again.</Notice>
  }
  return null
}

function Acts({ move }: { move: Move }) {
  const [asked, setAsked] = useState<'start' | 'cancel'>()
  const params = { id: move.id }
  const changes = ['/moves', '/contacts', '/templates', '/broadcasts']
  const start = useAct('POST /moves/{id}/start', { changes })
  const cancel = useAct('POST /moves/{id}/cancel', { changes })
  const close = () => setAsked(undefined)
  const isOver = move.state === 'done' || move.state === 'canceled'
  const { people, optOuts, templates, broadcasts } = move.foreseen
  const stopped = Object.values(optOuts).reduce((sum, count) => sum + count, 0)
  return (
    <>
      {!isOver && (
        <Button onClick={() => setAsked('cancel')}>{move.state === 'running' ? 'Stop' : 'Throw away'}</Button>
      )}
      {move.canStart && (
        <Button kind="primary" onClick={() => setAsked('start')}>
          {move.state === 'failed' ? 'Go on' : 'Bring it in'}
        </Button>
      )}
      <ConfirmDialog
        title="Bring it in"
        opened={asked === 'start'}
        onClose={close}
        action="Bring it in"
        onConfirm={() => start.mutateAsync({ params })}
      >
        <p>
          {countText(people.total, 'row')} of people, {numberText(stopped)} who must not be mailed,{' '}
          {countText(templates.length, 'template')} and {countText(broadcasts.length, 'draft')}. Nobody is mailed, and
          whoever is here already is only completed.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        title={move.state === 'running' ? 'Stop the move' : 'Throw it away'}
        opened={asked === 'cancel'}
        onClose={close}
        action={move.state === 'running' ? 'Stop it' : 'Throw it away'}
        danger
        onConfirm={() => cancel.mutateAsync({ params })}
      >
        <p>Whatever has come by now stays. The rest of what was read is thrown away.</p>
      </ConfirmDialog>
    </>
  )
}
