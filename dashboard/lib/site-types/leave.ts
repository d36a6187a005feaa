// Written by `npm run docs` from the routes of the server; a test holds it to them.


export type LeaveOperations = {
  'POST /leave': {
    params: undefined
    query: undefined
    body: undefined
    answer: null
  }
}
