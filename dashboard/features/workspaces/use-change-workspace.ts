import type { WorkspaceChange } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import type { FormFaults } from '../../ui/form.ts'
import { say } from '../../ui/toasts.tsx'

/** Saves what was changed of the workspace, and has all that shows it read anew. */
export function useChangeWorkspace(faults: FormFaults, done: () => void) {
  const change = useAct('PATCH /', { changes: ['/', '/site/auth/session', '/site/workspaces'] })
  return {
    busy: change.isPending,
    save: (body: WorkspaceChange) =>
      change
        .mutateAsync({ body })
        .then(() => {
          done()
          say('Saved.')
        })
        .catch(faults.take),
  }
}
