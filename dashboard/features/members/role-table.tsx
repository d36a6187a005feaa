import { ROLE_PERMISSIONS } from '../../lib/catalogue.ts'
import { CheckIcon } from '../../ui/icons.tsx'
import { groupsOf } from '../auth/scope-words.ts'
import { ROLE_WORDS, ROLES } from './role-words.ts'
import classes from './team.module.css'

/** Permissions as the scopes of tokens are told. */
const AREAS = groupsOf(ROLE_PERMISSIONS.owner)

/** What each role may do: the server's own table. */
export function RoleTable() {
  return (
    <>
      <dl className={classes.roles}>
        {ROLES.map((role) => (
          <div key={role}>
            <dt>{ROLE_WORDS[role].name}</dt>
            <dd>{ROLE_WORDS[role].words}</dd>
          </div>
        ))}
      </dl>
      <table className={classes.table}>
        <caption className="visually-hidden">Permissions of each role</caption>
        <thead>
          <tr>
            <th scope="col">Permission</th>
            {ROLES.map((role) => (
              <th key={role} scope="col">
                {ROLE_WORDS[role].name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {AREAS.flatMap(({ area, scopes }) =>
            scopes.map(({ scope: permission, act }) => (
              <tr key={permission}>
                <th scope="row">
                  {area}: {act.toLowerCase()} <code>{permission}</code>
                </th>
                {ROLES.map((role) => (
                  <td key={role}>
                    {ROLE_PERMISSIONS[role].includes(permission) ? (
                      <>
                        <CheckIcon size={15} />
                        <span className="visually-hidden">yes</span>
                      </>
                    ) : (
                      <span className="visually-hidden">no</span>
                    )}
                  </td>
                ))}
              </tr>
            )),
          )}
        </tbody>
      </table>
    </>
  )
}
