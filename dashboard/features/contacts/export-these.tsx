import { useNavigate } from '@tanstack/react-router'
import { countText } from '../../lib/format.ts'
import type { ContactExportBody } from '../../lib/site-types.ts'
import { useOneRun } from '../../lib/use-one-run.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { FileExportIcon } from '../../ui/icons.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'

/** The contacts of the list as a file: the request carries the filter, not the page. */
export function ExportThese({ filter, total }: { filter: ContactExportBody['filter']; total: number }) {
  const navigate = useNavigate()
  const create = useAct('POST /contacts/exports', { changes: ['/contacts/exports'] })
  const { once, isRunning } = useOneRun(() =>
    create
      .mutateAsync({ body: { filter } })
      .then(() => navigate({ to: '/contacts/exports' as never }))
      .then(() => say('The file is being made.'))
      .catch(sayProblem),
  )
  return (
    <Button kind="quiet" icon={FileExportIcon} busy={isRunning} onClick={() => void once()}>
      Export {countText(total, 'contact')}
    </Button>
  )
}
