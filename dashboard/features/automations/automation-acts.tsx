import { useState } from 'react'
import { countText } from '../../lib/format.ts'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Automation } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import {
  BanIcon,
  ClockIcon,
  DotsIcon,
  LockIcon,
  PlayerPauseIcon,
  PlayerPlayIcon,
  RefreshIcon,
  UsersIcon,
} from '../../ui/icons.tsx'
import { Menu, type MenuEntry } from '../../ui/menu.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import { PublishButton } from './builder/publish-button.tsx'
import { useCopyOrDelete } from './copy-or-delete.tsx'

const ResumeDialog = lazyPart(() => import('./resume-dialog.tsx'))
const EnrollDialog = lazyPart(() => import('./enroll-dialog.tsx'))
const BackfillDialog = lazyPart(() => import('./backfill-dialog.tsx'))

const changes = ['/automations']
/** From here on the name has to be typed. */
const PEOPLE_UNTYPED_MAX = 1_000

type Props = { automation: Automation; inside: number }

/** What may follow from where it stands, for those who may. */
export function AutomationActs({ automation, inside }: Props) {
  const can = useCan()
  const [asked, setAsked] = useState<'resume' | 'stop' | 'enroll' | 'backfill'>()
  const { id, status } = automation
  const params = { id }
  const pause = useAct('POST /automations/{id}/pause', { changes })
  const deactivate = useAct('POST /automations/{id}/deactivate', { changes })
  const retry = useAct('POST /automations/{id}/parked/retry', { changes })
  const { entries: others, dialog } = useCopyOrDelete(automation)
  const isSteered = can('automations:activate') && status !== 'stopped'
  const tryAgain = () =>
    retry
      .mutateAsync({ params, body: {} })
      .then(({ value: { runs } }) => say(`${countText(runs, 'run')} of those that failed will try again.`), sayProblem)
  const acts: MenuEntry[] = [
    { label: 'Try all failed ones again', icon: RefreshIcon, onSelect: () => void tryAgain() },
    ...(status === 'active'
      ? [
          { label: 'Bring in a segment…', icon: UsersIcon, onSelect: () => setAsked('enroll') },
          { label: 'Bring in people of the past…', icon: ClockIcon, onSelect: () => setAsked('backfill') },
          {
            label: 'Close the entry',
            icon: LockIcon,
            onSelect: () => void deactivate.mutateAsync({ params }).catch(sayProblem),
          },
        ]
      : []),
    'divider',
    { label: 'Stop for good', icon: BanIcon, danger: true, onSelect: () => setAsked('stop') },
  ]
  const entries: MenuEntry[] = isSteered && status !== 'draft' ? [...acts, ...others] : others
  const close = () => setAsked(undefined)
  return (
    <>
      {isSteered && (status === 'active' || status === 'closed') && (
        <Button
          icon={PlayerPauseIcon}
          busy={pause.isPending}
          onClick={() => pause.mutateAsync({ params }).catch(sayProblem)}
        >
          Pause
        </Button>
      )}
      {isSteered && status === 'paused' && (
        <Button kind="primary" icon={PlayerPlayIcon} onClick={() => setAsked('resume')}>
          Resume
        </Button>
      )}
      {status !== 'paused' && <PublishButton automation={automation} />}
      {entries.length > 0 && (
        <Menu target={<IconButton label="More" icon={DotsIcon} tooltip={false} />} entries={entries} />
      )}
      {dialog}
      {asked === 'resume' && <ResumeDialog automation={automation} inside={inside} onClose={close} />}
      {asked === 'enroll' && <EnrollDialog automation={automation} onClose={close} />}
      {asked === 'backfill' && <BackfillDialog automation={automation} onClose={close} />}
      {asked === 'stop' && <StopDialog automation={automation} inside={inside} onClose={close} />}
    </>
  )
}

type Asked = Props & { onClose: () => void }

function StopDialog({ automation: { id, name }, inside, onClose }: Asked) {
  const stop = useAct('POST /automations/{id}/stop', { changes })
  const people = countText(inside, 'person', 'people')
  return (
    <ConfirmDialog
      title="Stop this automation for good"
      opened
      onClose={onClose}
      action={inside > 0 ? `Have ${people} leave` : 'Stop it'}
      danger
      {...(inside > PEOPLE_UNTYPED_MAX ? { typed: name } : {})}
      onConfirm={() => stop.mutateAsync({ params: { id } })}
    >
      <p>
        {inside > 0 ? `${people} ${inside === 1 ? 'leaves' : 'leave'} it, mail` : 'Nobody is in it. Mail'} of it that
        has not gone out is taken back, and it never runs again. To go on later, pause it instead; of one that is
        stopped you can make a copy.
      </p>
    </ConfirmDialog>
  )
}
