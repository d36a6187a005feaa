import { createContext, useContext } from 'react'
import type { Permission, Role } from './site-types.ts'

/** The person, the workspace they are in, and what they may do there. */
export type Here = {
  user: { id: string; email: string; name: string }
  workspace: { id: string; slug: string; name: string; role: Role; permissions: readonly Permission[] }
  workspaces: readonly { id: string; slug: string; name: string; role: Role }[]
}

export const HereContext = createContext<Here | undefined>(undefined)

export function useHere(): Here {
  const here = useContext(HereContext)
  if (here === undefined) throw new Error('there is no workspace around this component')
  return here
}

/** `const can = useCan()`, then `can('contacts:write')`: what is refused is not offered. */
export function useCan(): (permission: Permission) => boolean {
  const { permissions } = useHere().workspace
  return (permission) => permissions.includes(permission)
}
