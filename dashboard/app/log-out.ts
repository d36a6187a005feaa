/** Leaves as the form of the server-rendered pages does, cookie and all. */
export function logOut(): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = '/app/logout'
  document.body.append(form)
  form.submit()
}
