// The subscription requests of the workspace, by status and topic.
import { Group, NativeSelect } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCursor } from "../../api/rows.ts"
import { TopicsIcon } from "../../Icons.tsx"
import { BackLink } from "../../parts/BackLink.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Listing } from "../../parts/table/Listing.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { request_statuses, type RequestSearch } from "../search.ts"
import { TopicSelect } from "../TopicSelect.tsx"
import { exampleOf } from "./example.ts"
import { columnsOf, pathOfRequest, useResend } from "./requests.tsx"

interface FilterProps {
  readonly asked: RequestSearch
  readonly onChange: (next: RequestSearch) => void
}

const Filters = ({ asked: { status, topic_id }, onChange }: FilterProps) => {
  const words = useWords("topics")
  const change = (next: { readonly status?: RequestSearch["status"]; readonly topic_id?: string | undefined }) =>
    onChange({
      ...(next.status === undefined ? {} : { status: next.status }),
      ...(next.topic_id === undefined ? {} : { topic_id: next.topic_id }),
    })
  return (
    <Group mb="sm" gap="xs" role="group" aria-label={words.filters}>
      <NativeSelect
        aria-label={words.status}
        value={status ?? ""}
        data={[
          { value: "", label: words.allStatuses },
          ...request_statuses.map((each) => ({ value: each, label: words.requestStatuses[each] })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          change({ status: request_statuses.find((each) => each === value), topic_id })
        }
      />
      <TopicSelect
        aria-label={words.topic}
        value={topic_id ?? null}
        none={words.allTopics}
        onChange={(next) => change({ status, topic_id: next ?? undefined })}
      />
    </Group>
  )
}

export const RequestList = () => {
  const words = useWords("topics")
  const { may } = useSession()
  const asked = useSearch({ from: "/topics/requests" })
  const navigate = useNavigate({ from: "/topics/requests" })
  const { actions, dialog } = useResend()
  return (
    <>
      <Listing
        above={<BackLink to="/topics" label={words.title} />}
        label={words.requests}
        text={words.requestsText}
        rows={useCursor("subscriptions", "list", { query: asked })}
        columns={columnsOf(words)}
        keyOf={({ subscription_request_id }) => subscription_request_id}
        nameOf={({ email }) => email}
        pathOf={pathOfRequest}
        none={words.noRequestFound}
        isFiltered={Object.keys(asked).length > 0}
        empty={{ icon: <TopicsIcon size={22} />, title: words.noRequests, text: words.noRequestsText }}
        additions={null}
        onNew={null}
        curl={<CurlButton call={["subscriptions", "list", { query: asked }]} />}
        emptyCurl={<CurlButton call={["subscriptions", "create", { payload: exampleOf("$TOPIC_ID") }]} />}
        filters={<Filters asked={asked} onChange={(search) => void navigate({ search, replace: true })} />}
        {...(may("editor") ? { actions } : {})}
      />
      {dialog}
    </>
  )
}
