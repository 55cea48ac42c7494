/* Topics on the bus of mgr, for programs in C. Needs libnats (Debian: libnats-dev): copy this file and mgr_client.c into your program and link
 * with -lnats -lpthread. docs/clients.md of mgr is the specification; services are NATS micro services, use libnats for them.
 *
 * Functions return NATS_OK or what went wrong; mgr_client_error() then has a sentence. All of them may be called from any thread. */
#ifndef MGR_CLIENT_H
#define MGR_CLIENT_H

#include <nats/nats.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct mgr_client mgr_client;
typedef struct mgr_publisher mgr_publisher;
typedef struct mgr_subscription mgr_subscription;

/* The broker refused a message of a topic, for this reason. Called in a thread of libnats, some time after mgr_publish, until
 * mgr_publisher_close has returned. It may publish; it must neither close its publisher nor the client. */
typedef void (*mgr_refused)(const char *topic, const char *reason, void *closure);

/* What a topic carries. Everything but the name may be NULL or 0: then it carries bytes. */
typedef struct {
  const char *name;            /* for example "arm/state" */
  const char *encoding;        /* "cdr", "json", "protobuf" or "raw" */
  const char *definition;      /* text of a ROS 2 message (cdr), a JSON Schema (json) or a FileDescriptorSet in base64 (protobuf) */
  const char *definition_name; /* for example "sensor_msgs/msg/JointState"; "foxglove.PoseInFrame" (json) needs no definition */
  bool keep_last;              /* the broker keeps the newest message for new subscribers */
  /* While a receiver reads slowly: */
  int priority;            /* 0 to 7: topics of this client with a higher priority are sent first */
  int64_t max_age_ms;      /* messages that have waited longer are dropped; 0: they are not */
  int64_t reliable_within; /* bytes that may wait, at most 4 MiB: messages beyond them are refused; 0: the oldest are dropped instead */
  mgr_refused on_refused;  /* NULL: refusals are written to standard error, at most one in 10 s */
  void *closure;           /* for on_refused */
} mgr_topic;

typedef struct {
  const char *topic;
  const char *data;
  int size;
  uint64_t seq;    /* the publisher's counter; 0 from a plain NATS client */
  int64_t time_ns; /* when it was published, nanoseconds since 1970; 0 if unknown */
  bool is_last;    /* the message that the broker had kept for new subscribers */
  const char *stages; /* the messages that led to this one, for mgr_publish_after; NULL: none are stated */
} mgr_message;

typedef struct {
  uint64_t sent, unsent;     /* published; not sent because there was no connection or too much was unsent */
  uint64_t refused;          /* of those that were sent: refused by the broker */
  uint64_t received, missed; /* by subscriptions; sent by their publishers and not received */
} mgr_counters;

/* Called in a thread of libnats, one message of a subscription after the other. The message is valid until it returns. */
typedef void (*mgr_receiver)(const mgr_message *message, void *closure);

/* Connects to the address in MGR_BUS_URL: waits until the broker is there, and reconnects for ever. The variable MGR_CLIENT_NAME takes the
 * place of `name` (1 to 128 characters). */
natsStatus mgr_client_connect(mgr_client **client, const char *name);

/* Reserves a topic. NATS_NOT_PERMITTED: another client has it. NATS_INVALID_ARG: a name or option that is not allowed. */
natsStatus mgr_client_publisher(mgr_publisher **publisher, mgr_client *client, const mgr_topic *topic);

/* Sends one message now. If it cannot be sent it is counted, and subscribers see the gap. NATS_OK does not say that the broker accepts it:
 * see mgr_refused. */
natsStatus mgr_publish(mgr_publisher *publisher, const void *data, int size);

/* The same in answer to a received message: `mgr topic latency` then shows the time from the first message of the chain on. Of `cause`, topic,
 * time_ns and stages are used; outside of a receiver, copy the message with what its stages point to. */
natsStatus mgr_publish_after(mgr_publisher *publisher, const void *data, int size, const mgr_message *cause);

/* Gives the topic up and frees the publisher. */
void mgr_publisher_close(mgr_publisher *publisher);

/* While the client is not connected, the subscription begins with the next connection. */
natsStatus mgr_client_subscribe(mgr_subscription **subscription, mgr_client *client, const char *topic, mgr_receiver receiver, void *closure);

mgr_counters mgr_client_counters(mgr_client *client);

/* The sentence for the last status of this thread that was not NATS_OK. */
const char *mgr_client_error(void);

/* Of libnats, for requests and services. */
natsConnection *mgr_client_connection(mgr_client *client);

/* Ends the connection and frees the client with its publishers and subscriptions. Not from within a receiver or
 * mgr_refused, for which it waits. */
void mgr_client_close(mgr_client *client);

#endif
