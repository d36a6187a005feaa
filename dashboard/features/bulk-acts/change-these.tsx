import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { countText } from '../../lib/format.ts'
import type { ContactExportBody } from '../../lib/site-types.ts'
import { refresh } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { TagIcon } from '../../ui/icons.tsx'

const BulkDialog = lazy(() => import('./bulk-dialog.tsx'))

/** Gives everybody of the list a tag, or takes one off: the request carries the filter, not the page. */
export function ChangeThese({ filter, total }: { filter: ContactExportBody['filter']; total: number }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    setOpen(false)
    void refresh(client, '/contacts')
  }
  return (
    <>
      <Button kind="quiet" icon={TagIcon} onClick={() => setOpen(true)}>
        Tag {countText(total, 'contact')}
      </Button>
      {isOpen && (
        <Suspense>
          <BulkDialog filter={filter} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
