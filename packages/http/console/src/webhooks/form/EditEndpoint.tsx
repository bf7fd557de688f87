// Changes of an endpoint.
import type { WebhookEndpoint } from "@tentpole/client"
import { useMutationOf } from "../../api/mutations.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { useWords } from "../../words/Words.tsx"
import { changesOf, type Values, valuesOf } from "./draft.ts"
import { EndpointForm } from "./EndpointForm.tsx"

interface Props {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

export const EditEndpoint = ({ endpoint, onClose }: Props) => {
  const words = useWords("webhooks")
  const shell = useWords("shell")
  const edit = useMutationOf("webhookEndpoints", "edit", { done: () => words.saved, onDone: onClose })
  const requestOf = (values: Values) => ({
    params: { endpointId: endpoint.endpoint_id },
    payload: changesOf(values, endpoint),
  })
  return (
    <EndpointForm
      title={words.editTitle}
      action={shell.save}
      first={valuesOf(endpoint)}
      headersBefore={Object.keys(endpoint.headers)}
      isPending={edit.isPending}
      error={edit.error}
      isChanged={(values) => Object.keys(changesOf(values, endpoint)).length > 0}
      onSubmit={(values) => edit.mutate(requestOf(values))}
      onClose={onClose}
      beside={(values) => <CurlButton call={["webhookEndpoints", "edit", requestOf(values)]} />}
    />
  )
}
