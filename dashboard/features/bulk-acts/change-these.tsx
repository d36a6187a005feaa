import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForgetRead } from '../../lib/forget-read.ts'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import { refresh } from '../../lib/use-site.ts'
import { Button, IconButton } from '../../ui/controls.tsx'
import { DotsIcon, TagIcon, TrashIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { type People, scopeText } from './people.ts'

const BulkDialog = lazyPart(() => import('./bulk-dialog.tsx'))
const EraseDialog = lazyPart(() => import('./erase-dialog.tsx'))

/** Acts on everybody of the list, or on those who are selected. Each names whom it is about, and asks with their number. */
export function ChangeThese({ people, onStarted }: { people: People; onStarted?: () => void }) {
  const can = useCan()
  const client = useQueryClient()
  const forgetRead = useForgetRead()
  const [open, setOpen] = useState<{ act: 'tag' | 'erase'; people: People }>()
  const close = (wasStarted: boolean) => {
    setOpen(undefined)
    if (wasStarted) onStarted?.()
    // It may be under way still.
    if (wasStarted && open?.act === 'erase') forgetRead()
    void refresh(client, '/contacts')
  }
  return (
    <>
      {can('contacts:write') && (
        <Button kind="quiet" icon={TagIcon} onClick={() => setOpen({ act: 'tag', people })}>
          Tag {scopeText(people)}
        </Button>
      )}
      {can('contacts:erase') && (
        <Menu
          target={<IconButton label="More acts" icon={DotsIcon} tooltip={false} />}
          entries={[
            {
              label: `Erase ${scopeText(people)}`,
              icon: TrashIcon,
              danger: true,
              onSelect: () => setOpen({ act: 'erase', people }),
            },
          ]}
        />
      )}
      {open?.act === 'tag' && <BulkDialog people={open.people} onClose={close} />}
      {open?.act === 'erase' && <EraseDialog people={open.people} onClose={close} />}
    </>
  )
}
