import { useNavigate } from '@tanstack/react-router'
import { useHere } from '../lib/permissions.ts'
import { CheckIcon, SelectorIcon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import classes from './sidebar.module.css'

/** The workspace one is in, and the way to the others: each is a document of its own. */
export function WorkspaceSwitch() {
  const { workspace, workspaces } = useHere()
  const navigate = useNavigate()
  return (
    <Menu
      wide
      target={
        <button type="button" className={classes.pick}>
          <span className={classes.mark} data-letter={workspace.name.charAt(0).toUpperCase()} />
          <span className={classes.name}>
            <span className="visually-hidden">Workspace: </span>
            {workspace.name}
          </span>
          <SelectorIcon size={14} />
        </button>
      }
      entries={[
        ...workspaces.map(({ slug, name }) => ({
          label: name,
          href: `/app/${slug}`,
          ...(slug === workspace.slug ? { icon: CheckIcon } : {}),
        })),
        'divider',
        { label: 'All workspaces', onSelect: () => navigate({ to: '/workspaces' as never }) },
      ]}
    />
  )
}
