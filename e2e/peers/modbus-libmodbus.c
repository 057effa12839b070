/*
 * A Modbus device on Debian's libmodbus, for tests: cc modbus-libmodbus.c $(pkg-config --cflags --libs libmodbus)
 *
 * Over TCP it listens on 127.0.0.1, on the port given as argument or a free one, prints the port, and serves clients until its
 * standard input ends. It answers every unit id.
 * Over a serial line, when the argument is the path of a port, it speaks RTU at 115200 8N1 as unit 1, prints the path, and
 * serves until its standard input ends or the port hangs up. It obeys broadcasts.
 * Each area has 65536 entries, of which number i (counted from 0) is at first
 *   coils                 1 when i is divisible by 3
 *   discrete inputs       1 when i is divisible by 5
 *   holding registers     i
 *   input registers       65535 - i
 * Registers and bits 1000 to 1009 do not exist: a request that touches one of them gets exception 2.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <modbus.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIZE = 65536, HOLE_START = 1000, HOLE_END = 1010, BACKLOG = 16 };

/* Whether the request reads or writes an entry of the hole. The quantity follows the address unless a single entry is written. */
static int in_hole(const uint8_t *pdu) {
  int function = pdu[0];
  int start = pdu[1] << 8 | pdu[2];
  int single = function == 0x05 || function == 0x06;
  int count = single ? 1 : pdu[3] << 8 | pdu[4];
  return start < HOLE_END && start + count > HOLE_START;
}

static void fill(modbus_mapping_t *map) {
  for (int i = 0; i < SIZE; i++) {
    map->tab_bits[i] = i % 3 == 0;
    map->tab_input_bits[i] = i % 5 == 0;
    map->tab_registers[i] = i;
    map->tab_input_registers[i] = SIZE - 1 - i;
  }
}

/* Answers one request. Returns 0 when none came because the client has gone or the bytes were none. */
static int serve(modbus_t *device, modbus_mapping_t *map) {
  uint8_t request[MODBUS_TCP_MAX_ADU_LENGTH];
  int header = modbus_get_header_length(device);
  int length = modbus_receive(device, request);
  if (length < 0) return 0;
  if (length >= header + 5 && in_hole(request + header)) modbus_reply_exception(device, request, MODBUS_EXCEPTION_ILLEGAL_DATA_ADDRESS);
  else if (length > 0) modbus_reply(device, request, length, map);
  return 1;
}

static int serve_port(const char *path, modbus_mapping_t *map) {
  modbus_t *device = modbus_new_rtu(path, 115200, 'N', 8, 1);
  if (device == NULL || modbus_set_slave(device, 1) != 0 || modbus_connect(device) != 0) {
    perror(path);
    return 1;
  }
  printf("%s\n", path);
  fflush(stdout);
  struct pollfd waits[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = modbus_get_socket(device), .events = POLLIN}};
  while (poll(waits, 2, -1) > 0) {
    char byte;
    if (waits[0].revents != 0 && read(STDIN_FILENO, &byte, 1) <= 0) return 0;
    if (waits[1].revents & (POLLHUP | POLLERR)) return 0;
    if (waits[1].revents & POLLIN) serve(device, map);
  }
  perror("modbus-libmodbus");
  return 1;
}

int main(int count, char **arguments) {
  modbus_mapping_t *map = modbus_mapping_new(SIZE, SIZE, SIZE, SIZE);
  if (map != NULL) fill(map);
  if (map != NULL && count > 1 && arguments[1][0] == '/') return serve_port(arguments[1], map);
  modbus_t *device = modbus_new_tcp("127.0.0.1", 0);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  int yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (count > 1) address.sin_port = htons(atoi(arguments[1]));
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  socklen_t size = sizeof address;
  if (device == NULL || map == NULL || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, BACKLOG) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
    perror("modbus-libmodbus");
    return 1;
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);

  fd_set open;
  FD_ZERO(&open);
  FD_SET(STDIN_FILENO, &open);
  FD_SET(listener, &open);
  int highest = listener;
  for (;;) {
    fd_set ready = open;
    if (select(highest + 1, &ready, NULL, NULL, NULL) < 0) {
      if (errno == EINTR) continue;
      perror("modbus-libmodbus");
      return 1;
    }
    for (int fd = 0; fd <= highest; fd++) {
      if (!FD_ISSET(fd, &ready)) continue;
      if (fd == STDIN_FILENO) {
        char byte;
        if (read(fd, &byte, 1) <= 0) return 0;
      } else if (fd == listener) {
        int client = accept(listener, NULL, NULL);
        int yes = 1;
        if (client < 0) continue;
        if (client >= FD_SETSIZE) {
          close(client);
          continue;
        }
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        FD_SET(client, &open);
        if (client > highest) highest = client;
      } else {
        modbus_set_socket(device, fd);
        if (serve(device, map)) continue;
        close(fd);
        FD_CLR(fd, &open);
      }
    }
  }
}
