import type { ContactExportBody } from '../../lib/site-types.ts'
import { Button } from '../../ui/controls.tsx'
import { ChangeThese } from '../bulk-acts/change-these.tsx'
import { SELECTED_MAX } from '../bulk-acts/people.ts'
import { ExportThese } from './export-these.tsx'

type Props = {
  filter: NonNullable<ContactExportBody['filter']>
  /** Contacts of the list, on all its pages. */
  total: number
  selected: ReadonlySet<string>
  onClear: () => void
}

/** Acts on everybody of the list; those on who is selected stand in their place, so that no button can be taken for another. */
export default function ListActs({ filter, total, selected, onClear }: Props) {
  if (selected.size > 0) return <SelectedActs selected={selected} onClear={onClear} />
  if (total === 0) return null
  return (
    <>
      <ChangeThese people={{ filter, total }} />
      <ExportThese filter={filter} total={total} />
    </>
  )
}

function SelectedActs({ selected, onClear }: Pick<Props, 'selected' | 'onClear'>) {
  return (
    <>
      {selected.size > SELECTED_MAX ? (
        <span className="soft">
          At most {SELECTED_MAX.toLocaleString('en')} can be selected: use a filter for more.
        </span>
      ) : (
        <ChangeThese people={{ contactIds: [...selected], total: selected.size }} onStarted={onClear} />
      )}
      <Button kind="quiet" onClick={onClear}>
        Select nobody
      </Button>
    </>
  )
}
