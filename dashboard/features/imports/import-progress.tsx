import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { countText, numberText } from '../../lib/format.ts'
import { sentence } from '../../lib/sentence.ts'
import { siteUrl } from '../../lib/site.ts'
import type { ContactImport } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { AccountedBar } from '../../ui/accounted-bar.tsx'
import { DownloadIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import classes from './imports.module.css'
import { forgetChoices } from './kept-choices.ts'

const ERRORS_SHOWN = 20

/** How a file goes or went: every row of it in one of the parts. */
export function ImportProgress({ one }: { one: ContactImport }) {
  const { read, created, updated, unchanged, failed, skipped } = one.rows
  const total = Math.max(one.rows.total, read)
  const isOver = one.state !== 'running'
  // Also of an import that was started elsewhere.
  useEffect(() => forgetChoices(one.id), [one.id])
  const client = useQueryClient()
  // biome-ignore lint/correctness/useExhaustiveDependencies: people, fields and tags come with the rows, so that what was read before them is read anew where it is shown next
  useEffect(() => void client.invalidateQueries({ refetchType: 'none' }), [client, read, isOver])
  return (
    <>
      {one.failure !== null && <Notice tone="bad">{one.failure}</Notice>}
      <Panel title="Rows" note={isOver ? countText(read, 'row') : `${numberText(read)} of ${numberText(total)} read`}>
        <AccountedBar
          label="Rows of the file"
          total={isOver ? read : total}
          parts={[
            { name: 'New contacts', count: created, tone: 'good', meaning: 'Rows that became new contacts.' },
            {
              name: 'Changed contacts',
              count: updated,
              tone: 'info',
              meaning: 'Rows that found their contact and changed its fields.',
            },
            {
              name: 'Known already',
              count: unchanged,
              tone: 'neutral',
              meaning: 'Rows that found their contact with these fields. Tags and consent were set all the same.',
            },
            { name: 'Failed', count: failed, tone: 'bad', meaning: 'Rows that were not imported, with a reason each.' },
            { name: 'Empty', count: skipped, tone: 'neutral', meaning: 'Rows without any value.' },
            ...(isOver ? [] : [{ name: 'Still to read', count: Math.max(0, total - read), tone: 'machine' as const }]),
          ]}
        />
      </Panel>
      {one.state === 'done' && created + updated + unchanged > 0 && (
        <p>
          <Link to="/contacts">See your contacts</Link>
        </p>
      )}
      {failed > 0 && <FailedRows one={one} />}
    </>
  )
}

function FailedRows({ one }: { one: ContactImport }) {
  const params = { id: one.id }
  // As many as there are by now: with each that joins them the list is another one, and read anew.
  const pageSize = Math.min(one.rows.failed, ERRORS_SHOWN)
  const errors = useSite('GET /contacts/imports/{id}/errors', { params, query: { pageSize } }, { keep: true })
  return (
    <Panel
      title="Rows that failed"
      note={countText(one.rows.failed, 'row')}
      flush
      actions={
        <a
          className="button-link button-link-default"
          href={siteUrl('GET /contacts/imports/{id}/errors.csv', { params })}
        >
          <DownloadIcon size={15} />
          As a file to mend
        </a>
      }
    >
      <Shown read={errors} rows={3}>
        {({ items }) => (
          <ol className={classes.errors}>
            {items.map(({ line, error, values }) => (
              <li key={line}>
                <span className="soft numbers">Line {line}</span>
                <span>
                  {sentence(error)}
                  <br />
                  <span className={classes.row}>{values.join(', ')}</span>
                </span>
              </li>
            ))}
          </ol>
        )}
      </Shown>
    </Panel>
  )
}
