import { sizeText } from '../../lib/format.ts'
import { sentence } from '../../lib/sentence.ts'
import type { Backup } from '../../lib/site-types.ts'
import { IconButton } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { DotsIcon, DownloadIcon, TrashIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import classes from './backups.module.css'
import { isUnderWay } from './is-under-way.ts'

type Choose = (what: 'download' | 'remove', backup: Backup) => void

export const backupColumns = (choose: Choose): Column<Backup>[] => [
  { id: 'at', head: 'When', cell: ({ takenAt, askedAt }) => <RelativeTime at={takenAt ?? askedAt} absolute /> },
  { id: 'state', head: 'State', width: '40%', narrow: 'below', cell: (backup) => <State backup={backup} /> },
  { id: 'by', head: 'By', width: '130px', narrow: 'below', cell: ({ askedBy }) => askedBy ?? 'Every night' },
  {
    id: 'size',
    head: 'Size',
    width: '90px',
    numeric: true,
    narrow: 'below',
    cell: ({ bytes }) => (bytes === null ? '–' : sizeText(bytes)),
  },
  {
    id: 'acts',
    head: '',
    width: '52px',
    narrow: true,
    cell: (backup) => (
      <Menu
        target={<IconButton label="More" icon={DotsIcon} tooltip={false} />}
        entries={[
          {
            label: 'Download',
            icon: DownloadIcon,
            onSelect: () => choose('download', backup),
            ...(backup.state !== 'done'
              ? { disabled: 'There is no file of it.' }
              : backup.isHere
                ? {}
                : { disabled: `The file is on ${backup.host ?? 'another machine'}.` }),
          },
          {
            label: isUnderWay(backup) ? 'Stop' : 'Remove',
            icon: TrashIcon,
            danger: true,
            onSelect: () => choose('remove', backup),
          },
        ]}
      />
    ),
  },
]

function State({ backup: { state, copiedBytes, error, isHere, host } }: { backup: Backup }) {
  if (state === 'waiting') return <StatusBadge tone="neutral">Waits for a process that works</StatusBadge>
  if (state === 'running')
    return (
      <StatusBadge tone="info">
        {copiedBytes === 0 ? 'Being taken' : `Being taken: ${sizeText(copiedBytes)} copied`}
      </StatusBadge>
    )
  if (state === 'failed')
    return (
      <>
        <StatusBadge tone="bad">Failed</StatusBadge>{' '}
        <span className={classes.error}>{error !== null && sentence(error)}</span>
      </>
    )
  return (
    <>
      <StatusBadge tone="good">Whole</StatusBadge>
      {!isHere && <span className="soft"> on {host ?? 'another machine'}</span>}
    </>
  )
}
